import { expect, it } from 'vitest'
import type { PermissionContent } from '../../../contract/agh/events.ts'
import { answerPermission, askPermission, createPermissionDesk, type DeskSettings } from './permission-desk.ts'

const OPTIONS = ['allow_always', 'allow_always', 'allow_once', 'reject_once'].map((kind, index) => ({
  optionId: `option-${index}`,
  name: `${kind} ${index}`,
  kind,
}))

function ask(content: unknown[]) {
  const desk = createPermissionDesk()
  const recorded: PermissionContent[] = []
  const settings: DeskSettings = {
    mode: 'approve-reads',
    expiresMs: 60_000,
    isInside: () => true,
    now: () => new Date(0),
    record: (_turn, event) => void recorded.push(event.content as PermissionContent),
    recordDurably: async (_turn, event) => void recorded.push(event.content as PermissionContent),
    remember: () => undefined,
    onAllowed: () => undefined,
  }
  const toolCall = { toolCallId: 't', content }
  const outcome = askPermission(
    desk,
    { turnId: null, title: 'Edit a file', kind: 'edit', toolCall, options: OPTIONS },
    settings,
  )
  return { desk, recorded, outcome, view: [...desk.pending.values()][0]!.view }
}

it('gives the agent exactly the option that was chosen, not the first of its kind', async () => {
  const { desk, outcome } = ask([])
  await answerPermission(desk, 'perm-1', { decision: 'allow-always', optionId: 'option-1' })
  expect(await outcome).toEqual({ outcome: 'selected', optionId: 'option-1' })
})

it('shows what an edit would change, and records it once', async () => {
  const { desk, view, recorded } = ask([{ type: 'diff', path: '/a.js', oldText: 'one', newText: 'two' }])
  expect(view.diffs).toEqual([{ path: '/a.js', old_text: 'one', new_text: 'two' }])
  expect(recorded[0]).not.toHaveProperty('diffs')
  await answerPermission(desk, 'perm-1', { decision: 'reject-once' })
})

it('says that there is a change that is too large to show', async () => {
  const { desk, view } = ask([{ type: 'diff', path: '/a.js', oldText: null, newText: 'x'.repeat(100_000) }])
  expect(view).toMatchObject({ diffs_omitted: true })
  expect(view.diffs).toBeUndefined()
  await answerPermission(desk, 'perm-1', { decision: 'reject-once' })
})
