// The session behind a pull request, pinned or not.
import { Link } from 'wouter'
import { PinMark } from '../../session/pins.tsx'
import { Icon } from '../../ui/icon.tsx'

export function PullSession({ id }: { id: string }) {
  return (
    <span className="flex items-center">
      <PinMark id={id} />
      <Link
        href={`/sessions/${encodeURIComponent(id)}`}
        className="flex items-center gap-1 text-accent hover:underline"
      >
        <Icon name="terminal" className="size-3" />
        {id}
      </Link>
    </span>
  )
}
