// What an agent reports as changed, as diffs.

import { useEffect, useMemo, useState } from 'react'
import type { FileDiff } from '../../../src/contract/agh/transcript.ts'
import { DiffLines } from '../diff/diff-lines.tsx'
import { diffTexts } from '../diff/diff-texts.ts'
import { LineCounts } from '../diff/line-counts.tsx'
import { parseDiff } from '../diff/parse-diff.ts'
import { Visible } from '../ui/text/visible.tsx'

/** Files that are scrolled past within this time are not drawn. */
const SETTLE_MS = 120

interface Props {
  diffs: readonly FileDiff[]
  /** In a long list: drawn once it has stayed in sight for a moment. */
  late?: boolean
}

export function FileDiffs({ diffs, late = false }: Props) {
  const isSettled = useSettled(late)
  return diffs.map((diff) =>
    isSettled ? (
      <OneFile key={diff.path} diff={diff} />
    ) : (
      <div key={diff.path} className="rounded border bg-canvas px-2 py-1 font-mono text-2xs text-muted">
        <Visible text={diff.path} />
      </div>
    ),
  )
}

function useSettled(late: boolean): boolean {
  const [isSettled, setSettled] = useState(!late)
  useEffect(() => {
    if (isSettled) return
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isSettled])
  return isSettled
}

function OneFile({ diff }: { diff: FileDiff }) {
  const file = useMemo(() => parseDiff(diffTexts(diff.path, diff.old_text, diff.new_text))[0], [diff])
  if (!file) return null
  return (
    <div className="overflow-hidden rounded border">
      <div className="flex items-center gap-2 border-b bg-canvas px-2 py-1 font-mono text-2xs text-muted">
        <span className="min-w-0 flex-1 truncate">
          <Visible text={diff.path} />
        </span>
        <LineCounts added={file.added} removed={file.removed} />
      </div>
      <div className="max-h-96 overflow-auto">
        <DiffLines
          file={file}
          layout="unified"
          comments={[]}
          onAddComment={undefined}
          commentable={null}
          onMoreContext={undefined}
        />
      </div>
    </div>
  )
}
