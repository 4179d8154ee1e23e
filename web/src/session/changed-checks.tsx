// A change that touches what it is judged by: its tests, its CI, the files of its gates.
import { visibleText } from '../../../src/core/text/visible-text.ts'
import { Icon } from '../ui/icon.tsx'
import { Visible } from '../ui/text/visible.tsx'

const MOST_SHOWN = 10

export function ChangedChecks({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return null
  const more = paths.length - MOST_SHOWN
  const list = [...paths.slice(0, MOST_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
  return (
    <span title={visibleText(list)} className="flex min-w-0 items-center gap-1 text-attention">
      <Icon name="warning" className="size-3 shrink-0" />
      <span className="truncate">
        changes its own checks: <Visible text={paths[0]!} />
        {paths.length > 1 && ` and ${paths.length - 1} more`}
      </span>
    </span>
  )
}
