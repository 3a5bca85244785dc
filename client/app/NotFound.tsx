/** Page for unknown addresses. */
import { Link } from 'wouter'
import { Panel } from '../ui/Panel.tsx'

export function NotFound() {
  return (
    <Panel title="Page not found" isPage>
      <p className="text-muted">
        The address may be wrong or belong to another version.{' '}
        <Link href="/" className="text-ink underline">
          Go to the overview
        </Link>
      </p>
    </Panel>
  )
}
