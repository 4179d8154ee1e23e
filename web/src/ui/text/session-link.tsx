// A session named in running text.
import { Link } from 'wouter'

export function SessionLink({ id }: { id: string }) {
  return (
    <Link href={`/sessions/${encodeURIComponent(id)}`} className="font-mono text-accent hover:underline">
      {id}
    </Link>
  )
}
