// Starts sessions: on the selected issues, on one chosen here, or with only a prompt.
import type { SpawnAnswer } from '../../../src/contract/dashboard/answers.ts'
import type { Board } from '../../../src/contract/dashboard/cards.ts'
import type { IssueRow } from '../../../src/contract/dashboard/issues.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { DropArea, FileButton, FileList } from '../session/file-picker.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { Visible } from '../ui/text/visible.tsx'
import { projectOptions, Select, TextArea, TextField } from '../ui/text-field.tsx'
import { InHands } from './in-hands.tsx'
import { type SpawnChoice, useOffers, useSpawn } from './use-spawn.ts'

interface Props {
  projects: Board['projects']
  /** Already selected, all of one project; absent: the dialog asks. */
  issues?: readonly IssueRow[]
  onClose: () => void
  /** At least one session was started, or each of several issues has its own result. */
  onDone: (answer: SpawnAnswer) => void
}

export function SpawnDialog({ projects, issues, onClose, onDone }: Props) {
  const spawn = useSpawn({ projectId: issues?.[0]?.projectId ?? projects[0]?.id ?? '', issues, onDone })
  const { wish, change } = spawn
  const onFiles = spawn.isStarting ? null : spawn.addFiles
  const count = Math.max(1, wish.issueIds.length)
  return (
    <Dialog
      title={count > 1 ? `Start ${count} sessions` : 'Start a session'}
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            icon="play"
            does="POST /api/sessions"
            busy={spawn.isStarting}
            disabled={!spawn.isReady}
            onClick={() => spawn.start()}
          >
            {spawn.isStarting ? 'Starting…' : 'Start'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {issues && <ChosenIssues issues={issues} />}
        <Choices wish={wish} onChange={change} projects={issues ? [] : projects} />
        <DropArea onFiles={onFiles}>
          <TextArea
            label={wish.issueIds.length === 0 ? 'Task' : 'Additional instructions'}
            hint={wish.issueIds.length === 0 ? undefined : `For ${count > 1 ? 'all of them' : 'the agent'}. Optional.`}
            data-focus-first
            rows={5}
            maxLength={100_000}
            value={wish.prompt}
            onChange={(event) => spawn.write(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) spawn.start()
            }}
            error={spawn.problem}
          />
        </DropArea>
        <div className="flex flex-wrap items-center gap-2">
          <FileButton onFiles={onFiles} />
          <FileList files={wish.files} onRemove={spawn.removeFile} />
        </div>
        <InHands projectId={wish.projectId} prompt={wish.prompt} issueId={wish.issueIds[0]} />
      </div>
    </Dialog>
  )
}

interface ChoiceProps {
  wish: SpawnChoice
  onChange: (part: Partial<SpawnChoice>) => void
  /** To choose from; none: project and issues are fixed. */
  projects: Board['projects']
}

function Choices({ wish, onChange, projects }: ChoiceProps) {
  const offers = useOffers(wish.projectId)
  const others = offers?.agents.filter((name) => name !== offers.defaultAgent) ?? []
  const issues = offers?.issues ?? []
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {projects.length > 0 && (
        <Select
          label="Project"
          options={projectOptions(projects)}
          value={wish.projectId}
          onPick={(projectId) => onChange({ projectId, issueIds: [], agent: '' })}
        />
      )}
      <Select
        label="Agent"
        options={[
          ['', offers ? `${offers.defaultAgent} (the project's)` : "The project's"],
          ...others.map((name) => [name, name] as const),
        ]}
        value={wish.agent}
        onPick={(agent) => onChange({ agent })}
      />
      {projects.length > 0 && issues.length > 0 && (
        <Select
          label="Issue"
          options={[
            ['', 'None, only what I write below'],
            ...issues.map(({ id, title }) => [id, `${id}: ${visibleLine(title)}`] as const),
          ]}
          value={wish.issueIds[0] ?? ''}
          onPick={(id) => onChange({ issueIds: id === '' ? [] : [id] })}
        />
      )}
      {wish.issueIds.length < 2 && (
        <TextField
          label="Branch"
          placeholder="Named by ao"
          maxLength={200}
          value={wish.branch}
          onChange={(event) => onChange({ branch: event.target.value })}
        />
      )}
    </div>
  )
}

function ChosenIssues({ issues }: { issues: readonly IssueRow[] }) {
  const before = issues.filter(({ sessionIds }) => sessionIds.length > 0)
  return (
    <>
      <ul className="max-h-40 overflow-y-auto rounded-md border text-sm">
        {issues.map(({ id, title }) => (
          <li key={id} className="flex gap-2 border-b px-3 py-1.5 last:border-b-0">
            <span className="text-faint">#{id}</span>
            <span className="min-w-0">
              <Visible text={title} />
            </span>
          </li>
        ))}
      </ul>
      {before.length > 0 && (
        <p className="text-sm text-attention">
          {before.map(({ id }) => `#${id}`).join(', ')} had a session before. While its branch is checked out, a new
          session needs a branch of its own.
        </p>
      )}
    </>
  )
}
