/** Number of attempts made and allowed. */

export function Attempts({ attempts, maxAttempts }: { attempts: number; maxAttempts: number | null }) {
  return (
    <>
      <span className="sr-only">attempts: </span>
      {attempts}
      {maxAttempts !== null && <span className="text-faint">/{maxAttempts}</span>}
    </>
  )
}
