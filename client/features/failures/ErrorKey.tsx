/** A normalised message: what its siblings share is plain, what differs from one to the next is set apart. */

const PARTS = /(<(?:uuid|url|email|hex|text|n)>)/

export function ErrorKey({ errorKey }: { errorKey: string }) {
  if (errorKey === '') return <span className="text-muted">no message</span>
  const parts = errorKey.split(PARTS)
  return parts.map((part, place) =>
    place % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one string stay in their order
      <span key={place} className="text-faint">
        {part}
      </span>
    ) : (
      part
    ),
  )
}
