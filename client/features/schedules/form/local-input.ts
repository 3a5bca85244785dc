/** Instants as texts of `datetime-local` inputs, which are in the time zone of the browser. */

const pad = (value: number) => String(value).padStart(2, '0')

export function toLocalInput(at: number): string {
  const date = new Date(at)
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`
}
