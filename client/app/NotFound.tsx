/** For addresses that are none. */
import { Link } from 'wouter'
import { Panel } from '../ui/Panel.tsx'

export function NotFound() {
  return (
    <Panel title="There is nothing here" isPage>
      <p className="text-muted">
        The address may be wrong, or from another version.{' '}
        <Link href="/" className="text-ink underline">
          Go to the overview
        </Link>
      </p>
    </Panel>
  )
}
