// Which keys there are, beside the diff.
import { Kbd } from '../ui/text/kbd.tsx'

export function DiffKeysHint({ canComment }: { canComment: boolean }) {
  return (
    <span className="hidden items-center gap-1 text-xs text-muted @5xl:flex">
      <Kbd>n</Kbd> <Kbd>p</Kbd> file <Kbd>v</Kbd> viewed
      {canComment && (
        <>
          <Kbd>j</Kbd> <Kbd>k</Kbd> line <Kbd>c</Kbd> comment
        </>
      )}
    </span>
  )
}
