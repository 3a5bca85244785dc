/** Addresses of the Schedules page. Names may contain any character, so they are parameters and not path segments. */

const PATH = '/schedules'

export function scheduleAddress(name: string): string {
  return `${PATH}?${new URLSearchParams({ schedule: name })}`
}
