/** Addresses of the Groups page. Names and keys may contain any character, so they are parameters and not path segments. */

const PATH = '/groups'

/** A group, or one of its keys. */
export function groupAddress(name: string, key?: string): string {
  return `${PATH}?${new URLSearchParams({ group: name, ...(key !== undefined && { key }) })}`
}
