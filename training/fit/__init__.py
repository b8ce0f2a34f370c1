"""Small lives with questions that they answer and questions that they do not, with a trainer."""
