// `node(id)`: anything by its id.
import { observePull } from '../../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { parseIssueCommentId } from '../../ids.ts'
import type { Gh } from '../../open-gh.ts'
import { locateComments } from '../locate-comments.ts'
import { describeIssue } from '../rest/issues/describe-issue.ts'
import { issueStore } from '../rest/issues/which-issue.ts'
import { actor } from './describe-basics.ts'
import { issueCommentNode, issueNode } from './describe-issue-node.ts'
import { pullNode } from './describe-pull-node.ts'
import { conversationNode, findThread, lineCommentNode, reviewNode } from './describe-review-nodes.ts'
import { unresolved } from './field.ts'
import { parseNodeId } from './node-ids.ts'
import { repositoryFacts } from './repository-facts.ts'

export async function findNode(gh: Gh, id: string): Promise<unknown> {
  const name = parseNodeId(id)
  const missing = () => unresolved(`a node with the global id of '${id}'`)
  switch (name.kind) {
    case 'repository':
      return repositoryFacts(gh)
    case 'user':
      return actor(name.name)
    case 'label':
      throw missing()
    case 'issue':
    case 'issueComment': {
      const { issue: number, index } =
        name.kind === 'issue' ? { issue: name.number, index: 0 } : parseIssueCommentId(name.id)
      const issue = await (await issueStore(gh))?.read(number)
      if (!issue) throw missing()
      if (name.kind === 'issue') return issueNode(gh, issue)
      if (!issue.comments[index]) throw missing()
      return issueCommentNode(issue, index, describeIssue(gh, issue).html_url)
    }
    default:
      return findInPull(gh, requirePullNode(gh, name.number), name, missing)
  }
}

export function requirePullNode(gh: Gh, number: number): LocalPull {
  const pull = gh.forge.pulls.read(number)
  if (pull === null) throw unresolved(`a PullRequest with the number of ${number}`)
  return pull
}

type InPull = { kind: 'pull' } | { kind: 'thread' | 'comment' | 'review' | 'conversation'; id: string }

async function findInPull(gh: Gh, pull: LocalPull, name: InPull, missing: () => Error): Promise<unknown> {
  switch (name.kind) {
    case 'pull':
      return pullNode(gh, pull)
    case 'thread':
      return findThread(gh, pull, name.id)
    case 'review': {
      const review = pull.reviews.find(({ id }) => id === name.id)
      if (!review) throw missing()
      return reviewNode(gh, await observePull(gh.forge, pull), review)
    }
    case 'comment': {
      const comment = (await locateComments(gh.forge, pull)).find(({ id }) => id === name.id)
      if (!comment) throw missing()
      return lineCommentNode(gh, pull, comment)
    }
    case 'conversation': {
      const comment = pull.comments.find(({ id, path }) => id === name.id && path === undefined)
      if (!comment) throw missing()
      return conversationNode(pull, comment)
    }
  }
}
