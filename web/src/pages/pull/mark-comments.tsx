// Lines that a check found something out about, in the diff: a test that proves nothing, one that was weakened, code that never ran.
import type { PullDetail } from '../../../../src/contract/dashboard/answers.ts'
import type { DiffComment } from '../../diff/diff-comment.ts'
import type { DiffFile } from '../../diff/parse-diff.ts'
import { Findings } from '../../session/changed-checks.tsx'

export function markComments(marks: PullDetail['marks'], files: readonly DiffFile[]): DiffComment[] {
  const deleted = new Set(files.filter(({ change }) => change === 'deleted').map(({ path }) => path))
  return marks.map(({ verdict, path, line, to, isOld, text }, index) => {
    // Of a file that is still there, lines of before are not among those that take a comment.
    const isShown = isOld === undefined || deleted.has(path)
    const where = isOld && !isShown ? ` (line ${line} before)` : ''
    return {
      id: `mark ${index}`,
      path,
      startLine: isShown && to !== undefined && to !== line ? line : null,
      line: isShown ? (to ?? line) : null,
      body: (
        <div className="rounded-md border bg-surface px-3 py-1.5 text-xs">
          <Findings findings={[{ verdict, text: `${text}${where}` }]} />
        </div>
      ),
    }
  })
}

export function MarkFilter({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="flex items-center gap-1.5 text-xs text-muted">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      Only files with findings
    </label>
  )
}
