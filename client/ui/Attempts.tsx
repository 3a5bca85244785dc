/** How often a job was tried, and how often it may be. */

export function Attempts({ attempts, maxAttempts }: { attempts: number; maxAttempts: number | null }) {
  return (
    <>
      <span className="sr-only">attempts: </span>
      {attempts}
      {maxAttempts !== null && <span className="text-faint">/{maxAttempts}</span>}
    </>
  )
}
