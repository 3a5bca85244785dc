/** Product logo. */

export function Mark() {
  return (
    <svg
      viewBox="0 0 24 24"
      data-tone="processing"
      className="size-5 text-tone"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="12" cy="10" r="7" />
      <path d="M12 3v14M5.94 6.5l12.12 7M18.06 6.5l-12.12 7" />
      <path d="M2 21.5c1.7 0 1.7-1.2 3.4-1.2s1.6 1.2 3.3 1.2 1.7-1.2 3.3-1.2 1.7 1.2 3.3 1.2 1.7-1.2 3.3-1.2 1.7 1.2 3.4 1.2" />
    </svg>
  )
}
