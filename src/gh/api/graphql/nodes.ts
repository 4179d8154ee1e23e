// What a GraphQL id refers to, and `node(id)`: anything by its id.
import type { Pull } from '../../../contract/pull.ts'
import { describeIssue, describeIssueComment, toIssue } from '../../describe/issue.ts'
import { describeRepo, describeUser } from '../../describe/names.ts'
import { type Node, unresolved } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import {
  conversationOf,
  describeComment,
  describeLineComment,
  describeReview,
  findThread,
  lineComments,
} from '../../describe/review.ts'
import { parseIssueCommentId } from '../../ids.ts'
import { issueStore } from '../../issue/local-issues.ts'
import { type Gh, readPull } from '../../open-gh.ts'

interface Names {
  repository: object
  pull: { number: number }
  issue: { number: number }
  thread: { number: number; id: string }
  comment: { number: number; id: string }
  review: { number: number; id: string }
  conversation: { number: number; id: string }
  issueComment: { number: number }
  user: { id: string }
  label: { id: string }
}
type Kind = keyof Names
type NodeName = { [K in Kind]: { kind: K } & Names[K] }[Kind]

const PATTERNS: Readonly<Record<Kind, RegExp>> = {
  repository: /^R_/,
  pull: /^PR_(?<number>\d{1,9})$/,
  issue: /^I_(?<number>\d{1,9})$/,
  thread: /^PRRT_(?<number>\d{1,9})_(?<id>.+)$/,
  comment: /^PRRC_(?<number>\d{1,9})_(?<id>.+)$/,
  review: /^PRR_(?<number>\d{1,9})_(?<id>.+)$/,
  conversation: /^IC_PR(?<number>\d{1,9})_(?<id>.+)$/,
  issueComment: /^IC_(?<number>\d{1,15})$/,
  user: /^U_(?<id>.+)$/,
  label: /^LA_(?<id>.+)$/,
}

function parseNodeId(given: string): NodeName {
  for (const [kind, pattern] of Object.entries(PATTERNS)) {
    const match = pattern.exec(given)
    if (match) return { kind, id: match.groups?.id ?? '', number: Number(match.groups?.number) } as NodeName
  }
  throw missing(given)
}

function missing(id: string): Error {
  return unresolved(`a node with the global id of '${id}'`)
}

/** An id of this kind, or a refusal. */
export function requireNode<K extends Kind>(id: unknown, ...kinds: K[]): Extract<NodeName, { kind: K }> {
  const name = parseNodeId(String(id))
  if ((kinds as string[]).includes(name.kind)) return name as Extract<NodeName, { kind: K }>
  throw unresolved(`a ${kinds.join(' or ')} with the global id of '${id}'`)
}

export async function requirePull(gh: Gh, number: number): Promise<Pull> {
  const pull = await readPull(gh, number)
  if (pull !== null) return pull
  throw unresolved(`a PullRequest with the number of ${number}`)
}

export async function findNode(gh: Gh, id: string): Promise<Node> {
  const name = parseNodeId(id)
  const found = await find(gh, name)
  if (found) return found
  throw missing(id)
}

async function find(gh: Gh, name: NodeName): Promise<Node | undefined> {
  if (name.kind === 'repository') return describeRepo(gh)
  if (name.kind === 'user') return describeUser(name.id)
  if (name.kind === 'label') return undefined
  if (name.kind === 'issue' || name.kind === 'issueComment') return findIssue(gh, name)
  const pull = await requirePull(gh, name.number)
  if (name.kind === 'pull') return describePull(gh, pull)
  if (name.kind === 'thread') return findThread(gh, pull, name.id)
  const named = <T extends { id: string }>(list: readonly T[]) => list.find((one) => one.id === name.id)
  const [review, comment] = [named(pull.reviews), named(conversationOf(pull))]
  if (name.kind === 'review') return review && describeReview(gh, pull, review)
  if (name.kind === 'conversation') return comment && describeComment(pull, comment)
  const onLine = named(await lineComments(gh, pull))
  return onLine && describeLineComment(gh, pull, onLine)
}

async function findIssue(gh: Gh, { kind, number: given }: { kind: 'issue' | 'issueComment'; number: number }) {
  const { issue: number, index } = kind === 'issue' ? { issue: given, index: -1 } : parseIssueCommentId(given)
  const issue = await (await issueStore(gh))?.read(number)
  if (!issue) return undefined
  if (kind === 'issue') return describeIssue(gh, toIssue(gh, issue))
  return issue.comments[index] && describeIssueComment(toIssue(gh, issue), index)
}
