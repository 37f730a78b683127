"""Solutions that are changed at random, for verifiers that must refuse them."""

import copy


def other(draw, item):
    """Another value in the place of one of a solution."""
    if isinstance(item, dict):
        field = draw.choice(sorted(item))
        return {**item, field: other(draw, item[field])}
    if isinstance(item, list) and item:
        at = draw.randrange(len(item))
        return item[:at] + [other(draw, item[at])] + item[at + 1 :]
    if isinstance(item, int):
        return draw.choice([item + 1, item - 1, 0, item ^ 1, 10**6])
    if isinstance(item, float):
        return draw.choice([item + 1e-12, item + 1e-6, item - 1e-3, -item, item + draw.uniform(-1, 1)])
    if isinstance(item, str):
        return draw.choice(["-", "|", "/", "\\", "x1", item + "0", ""])
    # An empty place: outside, no hull.
    return draw.choice([0, 1, 10**6])


def tamper(draw, value, fields):
    """Changes a solution in one or two places."""
    value = copy.deepcopy(value)
    for _ in range(draw.choice([1, 1, 2])):
        items = value[draw.choice(fields)]
        if items and isinstance(draw.choice(items), list):
            items = draw.choice([items, draw.choice(items)])
        action = draw.randrange(6)
        if action == 0 and items:
            items.pop(draw.randrange(len(items)))
        elif action == 1 and items:
            items.insert(draw.randrange(len(items) + 1), copy.deepcopy(draw.choice(items)))
        elif action == 2 and len(items) > 1:
            a, b = draw.sample(range(len(items)), 2)
            items[a], items[b] = items[b], items[a]
        elif items:
            at = draw.randrange(len(items))
            items[at] = other(draw, items[at])
    return value
