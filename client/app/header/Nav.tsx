/** Main navigation; scrolls horizontally on phones, with the current page in view. */
import { Link, useLocation, useRoute } from 'wouter'
import { useEdges } from '../../lib/browser/use-edges.ts'
import { useRememberJobsAddress } from '../../lib/jobs-address.ts'
import { ROUTES, type Route } from '../../lib/routes.ts'

export function Nav() {
  const [path] = useLocation()
  const { fade, ...row } = useEdges<HTMLElement>('[aria-current=page]', path)
  useRememberJobsAddress()
  return (
    <nav
      {...row}
      aria-label="Pages"
      className={`-mx-2 flex min-w-0 gap-1 overflow-x-auto px-0.5 py-2 [scrollbar-width:none] motion-safe:scroll-smooth ${fade}`}
    >
      {ROUTES.map((route) => (
        <NavLink key={route.path} {...route} />
      ))}
    </nav>
  )
}

function NavLink({ path, name }: Route) {
  const [isCurrent] = useRoute(path === '/' ? '/' : `${path}/*?`)
  return (
    <Link
      href={path}
      aria-current={isCurrent ? 'page' : undefined}
      className={`whitespace-nowrap rounded-md px-2.5 py-1 font-medium transition-colors hover:text-ink ${isCurrent ? 'bg-raised text-ink' : 'text-muted'}`}
    >
      {name}
    </Link>
  )
}
