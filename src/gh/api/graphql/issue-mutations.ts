// Mutations of issues, and of labels and assignees of both.
import type { IssueEdit } from '../../../forge/issues/edit-issue.ts'
import type { NameChange } from '../../../forge/pulls/name-list.ts'
import { describeIssue, toIssue } from '../../describe/issue.ts'
import { type Node, refuse } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import { changeLocalIssue, createLocalIssue } from '../../issue/local-issues.ts'
import { changeOwnPull } from '../../pr/own-pull.ts'
import { defineMutation, type Mutation, type MutationContext } from './define-mutation.ts'
import { requireNode, requirePull } from './nodes.ts'

async function edited({ gh, io }: MutationContext, id: unknown, edit: IssueEdit): Promise<{ issue: Node }> {
  const { number } = requireNode(id, 'issue')
  return { issue: describeIssue(gh, toIssue(gh, await changeLocalIssue(gh, number, () => edit, io))) }
}

const ids = (list: readonly string[], kind: 'user' | 'label') => list.map((id) => requireNode(id, kind).id)

/** Labels and assignees belong to both kinds. */
function naming(list: 'labels' | 'assignees', how: 'add' | 'remove'): Mutation {
  const [on, of, kind] =
    list === 'labels' ? (['labelable', 'labelIds', 'label'] as const) : (['assignable', 'assigneeIds', 'user'] as const)
  return defineMutation<Record<string, unknown>>([`${on}Id`, of], async (input, context) => {
    const { gh, io } = context
    const { kind: subject, number } = requireNode(input[`${on}Id`], 'issue', 'pull')
    const change: { [K in typeof list]?: NameChange } = { [list]: { [how]: ids(input[of] as string[], kind) } }
    if (subject === 'issue') return { [on]: (await edited(context, input[`${on}Id`], change)).issue }
    return { [on]: describePull(gh, await changeOwnPull(gh, await requirePull(gh, number), change, io)) }
  })
}

type NewIssue = {
  repositoryId: string
  title: string
  body?: string | null
  labelIds?: string[] | null
  assigneeIds?: string[] | null
}
type IssueChange = { id: string; title?: string | null; body?: string | null; state?: string | null }

export const ISSUE_MUTATIONS: Readonly<Record<string, Mutation>> = {
  createIssue: defineMutation<NewIssue>(
    ['repositoryId', 'title', 'body', 'labelIds', 'assigneeIds'],
    async ({ repositoryId, title, body, labelIds, assigneeIds }, { gh, io }) => {
      requireNode(repositoryId, 'repository')
      if (title.trim() === '') throw refuse("Title can't be blank", 'UNPROCESSABLE')
      const lists = { labels: ids(labelIds ?? [], 'label'), assignees: ids(assigneeIds ?? [], 'user') }
      const issue = await createLocalIssue(gh, { title, body: body ?? '', ...lists }, io)
      return { issue: describeIssue(gh, toIssue(gh, issue)) }
    },
  ),
  updateIssue: defineMutation<IssueChange>(['id', 'title', 'body', 'state'], ({ id, title, body, state }, context) =>
    edited(context, id, {
      title: title ?? undefined,
      body: body ?? undefined,
      state: state == null ? undefined : state === 'CLOSED' ? 'closed' : 'open',
    }),
  ),
  closeIssue: defineMutation<{ issueId: string; stateReason?: string | null }>(
    ['issueId', 'stateReason'],
    ({ issueId, stateReason }, context) => {
      if (stateReason === 'DUPLICATE') throw refuse('DUPLICATE is not kept by the local forge')
      return edited(context, issueId, { state: stateReason === 'NOT_PLANNED' ? 'cancelled' : 'closed' })
    },
  ),
  reopenIssue: defineMutation<{ issueId: string }>(['issueId'], ({ issueId }, context) =>
    edited(context, issueId, { state: 'open' }),
  ),
  addLabelsToLabelable: naming('labels', 'add'),
  removeLabelsFromLabelable: naming('labels', 'remove'),
  addAssigneesToAssignable: naming('assignees', 'add'),
  removeAssigneesFromAssignable: naming('assignees', 'remove'),
}
