// The fields of GraphQL's Query that the local forge answers.

import type { Io } from '../../../cli/print/io.ts'
import { hasName } from '../../../forge/pulls/name-list.ts'
import { listBranches } from '../../../forge/pulls/observe-pulls.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import { listLabels } from '../../change-label.ts'
import { describeIssue, isOver, toIssue } from '../../describe/issue.ts'
import { describeLabels, describeRef, describeRepo, describeUser } from '../../describe/names.ts'
import { connection, field, type Node, PAGE, refuse, unresolved } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import { issueStore } from '../../issue/local-issues.ts'
import { type Gh, observe } from '../../open-gh.ts'
import { isOurRepo } from '../../which-repo.ts'
import { findNode, requirePull } from './nodes.ts'

export function queryRoot(gh: Gh, io: Io) {
  return {
    viewer: describeUser(localAuthor(io.env)),
    repository: field<{ owner: string; name: string }>(['owner', 'name', 'followRenames'], ({ owner, name }) => {
      if (isOurRepo(gh.project.id, owner, name)) return repositoryNode(gh)
      throw unresolved(`a Repository with the name '${owner}/${name}'; ao keeps only ${gh.repo} here`)
    }),
    node: field<{ id: string }>(['id'], ({ id }) => findNode(gh, id)),
    nodes: field<{ ids: string[] }>(['ids'], ({ ids }) => Promise.all(ids.map((id) => findNode(gh, id)))),
  }
}

async function repositoryNode(gh: Gh) {
  const branches = await listBranches(gh.forge.repository())
  const { defaultBranch } = gh.project
  return {
    ...describeRepo(gh),
    defaultBranchRef: describeRef(gh, defaultBranch, branches.get(defaultBranch) ?? null),
    ref: field<{ qualifiedName: string }>(['qualifiedName'], ({ qualifiedName }) => {
      const name = qualifiedName.replace(/^refs\/heads\//, '')
      const sha = branches.get(name)
      return sha === undefined ? null : describeRef(gh, name, sha)
    }),
    pullRequest: field<{ number: number }>(['number'], async ({ number }) =>
      describePull(gh, await requirePull(gh, number)),
    ),
    pullRequests: pullRequests(gh),
    issue: field<{ number: number }>(['number'], ({ number }) => oneIssue(gh, number)),
    issues: issues(gh),
    labels: field([...PAGE, 'query'], async (args: { query?: string | null }) => {
      const names = (await listLabels(gh)).map(({ name }) => name).filter((name) => name.includes(args.query ?? ''))
      const { query: _, ...page } = args
      return describeLabels(gh, names).read(page)
    }),
  }
}

async function oneIssue(gh: Gh, number: number): Promise<Node> {
  const store = await issueStore(gh)
  if (store === null) throw refuse('the issues of this project are not kept by ao')
  const issue = await store.read(number)
  if (issue === null) throw unresolved(`an Issue with the number of ${number}`)
  return describeIssue(gh, toIssue(gh, issue))
}

interface Order {
  field: string
  direction: 'ASC' | 'DESC'
}

function ordered<T>(
  list: T[],
  order: Order | null | undefined,
  keys: Record<string, (one: T) => string | number>,
): T[] {
  if (!order) return list
  const key = keys[order.field]
  if (!key) throw refuse(`ordering by ${order.field} is not available in the local forge`)
  const sorted = list.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
  return order.direction === 'DESC' ? sorted.reverse() : sorted
}

interface PullArgs extends Record<string, unknown> {
  states?: string[] | null
  headRefName?: string | null
  baseRefName?: string | null
  labels?: string[] | null
  orderBy?: Order | null
}

function pullRequests(gh: Gh) {
  return connection(
    async ({ states, headRefName, baseRefName, labels, orderBy }: PullArgs) => {
      const wanted = gh.forge.pulls
        .list()
        .filter(({ head, base }) => (headRefName ?? head) === head && (baseRefName ?? base) === base)
        .filter((pull) => !labels || labels.some((label) => hasName(pull.labels, label)))
      const pulls = (await observe(gh, wanted)).filter(({ state }) => !states || states.includes(state.toUpperCase()))
      return ordered(pulls, orderBy, {
        CREATED_AT: ({ pr }) => pr.number,
        UPDATED_AT: ({ updatedAt }) => updatedAt,
      })
    },
    (pull) => describePull(gh, pull),
    ['states', 'headRefName', 'baseRefName', 'labels', 'orderBy'],
  )
}

interface IssueArgs extends Record<string, unknown> {
  states?: string[] | null
  labels?: string[] | null
  orderBy?: Order | null
}

function issues(gh: Gh) {
  return connection(
    async ({ states, labels, orderBy }: IssueArgs) => {
      const store = await issueStore(gh)
      if (store === null) throw refuse('the issues of this project are not kept by ao')
      const found = (await store.list()).issues
        .filter((issue) => !states || states.includes(isOver(issue) ? 'CLOSED' : 'OPEN'))
        .filter((issue) => !labels || labels.some((label) => hasName(issue.labels, label)))
      return ordered(found, orderBy, {
        CREATED_AT: ({ number }) => number,
        COMMENTS: ({ comments }) => comments.length,
      })
    },
    (issue) => describeIssue(gh, toIssue(gh, issue)),
    ['states', 'labels', 'orderBy'],
  )
}
