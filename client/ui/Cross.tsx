/** The sign for taking something away. */

export function Cross() {
  return (
    <svg
      viewBox="0 0 12 12"
      className="size-3"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="m2.5 2.5 7 7M9.5 2.5l-7 7" />
    </svg>
  )
}
