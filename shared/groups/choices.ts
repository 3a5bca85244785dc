/** Values that the rules and lists of groups accept; without the validation library, for the command line. */
export const GROUP_ORDERS = ['fair', 'strict'] as const

export const WHEN_FULL = ['wait', 'skip', 'replace', 'cancel'] as const

export const ON_DEAD = ['continue', 'stop'] as const

/** The names of all rules. */
export const RULE_KEYS = ['concurrency', 'rate', 'window', 'order', 'whenFull', 'onDead', 'paused'] as const

/** Rules that one key may override. */
export const KEY_RULES = ['concurrency', 'rate', 'paused'] as const

/** Orders of the keys of a group. */
export const KEY_SORTS = ['blocked', 'oldest', 'running'] as const
