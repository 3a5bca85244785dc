/** Placeholder for content that is loading. */

export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden="true" className={`block motion-safe:animate-pulse rounded bg-raised ${className}`} />
}
