/** The way to every page; on a phone it scrolls sideways. */
import { Link, useRoute } from 'wouter'
import { ROUTES, type Route } from './routes.ts'

export function Nav() {
  return (
    <nav aria-label="Pages" className="-mx-2 flex min-w-0 gap-1 overflow-x-auto py-2 [scrollbar-width:none]">
      {ROUTES.map((route) => (
        <NavLink key={route.path} {...route} />
      ))}
    </nav>
  )
}

function NavLink({ path, name }: Route) {
  const [isHere] = useRoute(path === '/' ? '/' : `${path}/*?`)
  return (
    <Link
      href={path}
      aria-current={isHere ? 'page' : undefined}
      className={`whitespace-nowrap rounded-md px-2.5 py-1 font-medium transition-colors hover:text-ink ${isHere ? 'bg-raised text-ink' : 'text-muted'}`}
    >
      {name}
    </Link>
  )
}
