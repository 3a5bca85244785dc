/** Points to the right; down when something is open, left for the way back. */

const TURN = { right: '', down: 'rotate-90', left: 'rotate-180' } as const

export function Chevron({ to = 'right' }: { to?: keyof typeof TURN }) {
  return (
    <svg
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`inline-block size-3 shrink-0 ${TURN[to]}`}
    >
      <path d="M4.5 2.5 8 6l-3.5 3.5" />
    </svg>
  )
}
