// Before a title: the list that its page is reached from.
import { Link } from 'wouter'

export function WayBack({ to, href }: { to: string; href: string }) {
  return (
    <Link href={href} className="shrink-0 text-sm text-muted hover:text-ink hover:underline">
      {to} /
    </Link>
  )
}
