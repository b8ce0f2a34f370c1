"""The check digit of card numbers."""


def has_check_digit(text: str) -> bool:
    """Check whether the digits of a text end in their check digit (ISO/IEC 7812).

    Every second digit from the right is doubled, and the digits of all are summed; the sum is a
    multiple of ten. A number that repeats one digit does not count.
    """
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
