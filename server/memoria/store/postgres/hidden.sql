-- name: want_scrub
{want_scrub};
