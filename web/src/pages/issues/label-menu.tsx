// The labels of an issue: those of the project as a menu, each put on or taken off, and a new one.
import { useState } from 'react'
import type { IssueRow } from '../../../../src/contract/dashboard/issues.ts'
import { visibleLine } from '../../../../src/core/text/visible-text.ts'
import { useAnswer } from '../../api/answered.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { Menu } from '../../ui/overlay/menu.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { CHANGE_ISSUE, useIssueChange } from './issue-parts.tsx'

/** More would not fit on a screen; any other is typed. */
const MOST = 20

export function LabelMenu({ issue }: { issue: IssueRow }) {
  const [typed, setTyped] = useState<string | null>(null)
  const change = useIssueChange(issue, () => setTyped(null))
  // The list of the page before, or of the next: nothing is asked for that is not shown there.
  const { data } = useAnswer(['issues', issue.projectId, 'open'], 'GET /api/projects/:project/issues', {
    params: { project: issue.projectId },
    query: { state: 'open' },
  })
  const projectLabels = [...new Set(data?.issues.flatMap(({ labels }) => labels) ?? [])].sort()
  const others = projectLabels.filter((label) => !issue.labels.includes(label)).slice(0, MOST)
  const items = [
    ...issue.labels.map((label) => ({ label, isOn: true })),
    ...others.map((label) => ({ label, isOn: false })),
  ].map(({ label, isOn }) => ({
    label: `${isOn ? 'Remove' : 'Add'} ${visibleLine(label)}`,
    icon: isOn ? ('check' as const) : ('plus' as const),
    does: CHANGE_ISSUE,
    onSelect: () => change.mutate(isOn ? { removeLabels: [label] } : { labels: [label] }),
  }))
  return (
    <>
      <Menu
        label="Labels"
        icon="edit"
        size="sm"
        items={[...items, { label: 'New label…', icon: 'plus', does: CHANGE_ISSUE, onSelect: () => setTyped('') }]}
      />
      {typed !== null && (
        <FormDialog
          title={`Label #${issue.id}`}
          action="Add it"
          does={CHANGE_ISSUE}
          runs={{ ...change, mutate: () => change.mutate({ labels: [typed.trim()] }) }}
          disabled={typed.trim() === ''}
          onClose={() => setTyped(null)}
        >
          <TextField
            label="Label"
            required
            autoFocus
            maxLength={100}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </FormDialog>
      )}
    </>
  )
}
