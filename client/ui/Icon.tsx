/** Icons in the colour of the surrounding text. */

const PATHS = {
  right: 'M4.5 2.5 8 6l-3.5 3.5',
  left: 'M7.5 2.5 4 6l3.5 3.5',
  down: 'M2.5 4.5 6 8l3.5-3.5',
  arrowUp: 'M6 10.5v-9M2.5 5 6 1.5 9.5 5',
  cross: 'm2.5 2.5 7 7M9.5 2.5l-7 7',
  search: 'M8.6 5.1a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0M7.7 7.7l3 3',
} as const

export function Icon({ name, className = 'size-3' }: { name: keyof typeof PATHS; className?: string }) {
  return (
    <svg
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`inline-block shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
