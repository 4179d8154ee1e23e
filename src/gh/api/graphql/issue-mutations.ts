// Mutations of issues, and of labels and assignees of both.
import type { IssueEdit } from '../../../forge/issues/edit-issue.ts'
import { editPull } from '../../../forge/pulls/change-pull.ts'
import { requireNames } from '../../../forge/pulls/name-list.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import { requireOwnPull } from '../../open-gh.ts'
import { changeNumberedIssue, requireIssueStore } from '../rest/issues/which-issue.ts'
import { defineMutation, type Mutation, type MutationContext } from './define-mutation.ts'
import { issueNode } from './describe-issue-node.ts'
import { pullNode } from './describe-pull-node.ts'
import { refuse } from './field.ts'
import { requirePullNode } from './find-node.ts'
import { requireNode } from './node-ids.ts'

async function edited({ gh, io }: MutationContext, id: unknown, edit: IssueEdit) {
  const { number } = requireNode(id, 'issue')
  return { issue: issueNode(gh, await changeNumberedIssue(gh, number, () => edit, io)) }
}

/** Labels and assignees belong to both kinds. */
async function named(
  context: MutationContext,
  id: unknown,
  list: 'labels' | 'assignees',
  change: { add?: string[]; remove?: string[] },
) {
  const { gh, io } = context
  const { kind, number } = requireNode(id, 'issue', 'pull')
  if (kind === 'issue') return (await edited(context, id, { [list]: change })).issue
  requireOwnPull(io, requirePullNode(gh, number), 'edit')
  return pullNode(gh, await editPull(gh.forge, number, { [list]: change }))
}

const logins = (ids: readonly string[]) => ids.map((id) => requireNode(id, 'user').name)
const labels = (ids: readonly string[]) => ids.map((id) => requireNode(id, 'label').name)

interface NewIssue extends Record<string, unknown> {
  repositoryId: string
  title: string
  body?: string | null
  labelIds?: string[] | null
  assigneeIds?: string[] | null
}

interface IssueChange extends Record<string, unknown> {
  id: string
  title?: string | null
  body?: string | null
  state?: string | null
}

interface Labelling extends Record<string, unknown> {
  labelableId: string
  labelIds: string[]
}

interface Assigning extends Record<string, unknown> {
  assignableId: string
  assigneeIds: string[]
}

export const ISSUE_MUTATIONS: Readonly<Record<string, Mutation>> = {
  createIssue: defineMutation<NewIssue>(
    ['repositoryId', 'title', 'body', 'labelIds', 'assigneeIds'],
    async ({ repositoryId, title, body, labelIds, assigneeIds }, { gh, io }) => {
      requireNode(repositoryId, 'repository')
      if (title.trim() === '') throw refuse("Title can't be blank", 'UNPROCESSABLE')
      gh.claim()
      const store = await requireIssueStore(gh)
      const issue = await store.create({
        title: title.replace(/\s+/g, ' ').trim(),
        body: body ?? '',
        author: localAuthor(io.env),
        labels: requireNames(labels(labelIds ?? [])),
        assignees: requireNames(logins(assigneeIds ?? [])),
      })
      return { issue: issueNode(gh, issue) }
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
  addLabelsToLabelable: defineMutation<Labelling>(
    ['labelableId', 'labelIds'],
    async ({ labelableId, labelIds }, context) => ({
      labelable: await named(context, labelableId, 'labels', { add: labels(labelIds) }),
    }),
  ),
  removeLabelsFromLabelable: defineMutation<Labelling>(
    ['labelableId', 'labelIds'],
    async ({ labelableId, labelIds }, context) => ({
      labelable: await named(context, labelableId, 'labels', { remove: labels(labelIds) }),
    }),
  ),
  addAssigneesToAssignable: defineMutation<Assigning>(
    ['assignableId', 'assigneeIds'],
    async ({ assignableId, assigneeIds }, context) => ({
      assignable: await named(context, assignableId, 'assignees', { add: logins(assigneeIds) }),
    }),
  ),
  removeAssigneesFromAssignable: defineMutation<Assigning>(
    ['assignableId', 'assigneeIds'],
    async ({ assignableId, assigneeIds }, context) => ({
      assignable: await named(context, assignableId, 'assignees', { remove: logins(assigneeIds) }),
    }),
  ),
}
