/** Normalised error message with its placeholders dimmed. */

const PARTS = /(<(?:uuid|url|email|hex|text|n)>)/

export function ErrorKey({ errorKey }: { errorKey: string }) {
  if (errorKey === '') return <span className="text-muted">(no message)</span>
  const parts = errorKey.split(PARTS)
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one string stay in their order
      <span key={index} className="text-faint">
        {part}
      </span>
    ) : (
      part
    ),
  )
}
