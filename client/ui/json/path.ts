/** Paths inside a JSON value: as text, and as set keys. */

export type Path = readonly (string | number)[]

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

/** `payload.user["first name"][0]` */
export function writePath(root: string, path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return NAME.test(step) ? `${text}.${step}` : `${text}[${JSON.stringify(step)}]`
  }, root)
}

/** Appends one step, escaped as in a JSON pointer. */
export function stepKey(key: string, step: string | number): string {
  return `${key}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export function keyOf(path: Path): string {
  return path.reduce<string>(stepKey, '')
}

export function rangeKey(key: string, from: number, to: number): string {
  return `${key}#${from}-${to}`
}
