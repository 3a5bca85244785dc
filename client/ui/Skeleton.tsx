/** The place of something that is still being read. */

export function Bone({ className }: { className: string }) {
  return <span aria-hidden="true" className={`block motion-safe:animate-pulse rounded bg-raised ${className}`} />
}
