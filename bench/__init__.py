"""What we claim about speed, as commands that print JSON: ratios against something run beside them."""
