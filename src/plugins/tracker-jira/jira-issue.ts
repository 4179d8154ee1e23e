// An issue as Jira returns it, and as the slot reads it; and how people refer to an issue there.
import type { Issue } from '../../slots/tracker.ts'
import { fromDocument } from './document-text.ts'

interface JiraUser {
  accountId: string
  displayName: string
  accountType?: string
}

/** Of every status: Jira's own three kinds, whatever a team calls its statuses. */
export type StatusCategory = 'new' | 'indeterminate' | 'done'

export interface JiraIssue {
  key: string
  fields: {
    summary: string
    description: unknown
    status: { name: string; statusCategory: { key: string } }
    labels: string[] | null
    assignee: JiraUser | null
    reporter: JiraUser | null
    created: string
    resolutiondate?: string | null
    /** `inwardIssue`: that one blocks this one. */
    issuelinks?: Array<{ type: { name: string }; inwardIssue?: { key: string }; outwardIssue?: { key: string } }>
    subtasks?: Array<{ key: string }>
    comment?: { comments: Array<{ author?: JiraUser | null; body: unknown; created: string }> } | null
  }
}

export const LIST_FIELDS = [
  'summary',
  'description',
  'status',
  'labels',
  'assignee',
  'reporter',
  'created',
  'resolutiondate',
]
export const ISSUE_FIELDS = [...LIST_FIELDS, 'comment', 'issuelinks', 'subtasks']

export function toIssue({ key, fields }: JiraIssue, site: string): Issue {
  const { summary, description, status, labels, assignee, reporter, created, resolutiondate, comment } = fields
  return {
    id: key,
    title: summary,
    description: fromDocument(description),
    url: urlOf(site, key),
    state: stateOf(status.statusCategory.key),
    labels: labels ?? [],
    assignee: assignee?.displayName,
    author: reporter?.displayName,
    // Customers of a service desk and apps write issues too.
    authorIsMember: reporter?.accountType === 'atlassian',
    createdAt: isoTime(created),
    closedAt: resolutiondate ? isoTime(resolutiondate) : undefined,
    comments: comment?.comments.map((one) => ({
      author: one.author?.displayName ?? 'unknown',
      body: fromDocument(one.body),
      createdAt: isoTime(one.created),
    })),
  }
}

function stateOf(category: string): Issue['state'] {
  if (category === 'done') return 'closed'
  return category === 'indeterminate' ? 'in_progress' : 'open'
}

/** `2026-11-15T20:00:00.000+0000`: valid, but not in the form that others use. */
function isoTime(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}

export function urlOf(site: string, key: string): string {
  return `${site}/browse/${encodeURIComponent(key)}`
}

const KEY = /^([A-Za-z][A-Za-z0-9_]{0,30})-([1-9][0-9]{0,8})$/

/** `ENG-42`, or its address. null: neither. */
export function parseKey(text: string, site: string): string | null {
  const plain = text.trim()
  const path = URL.canParse(site) && plain.startsWith(`${site}/`) ? plain.slice(site.length) : null
  const name = path === null ? plain : (/^\/browse\/([A-Za-z0-9_]+-[0-9]+)(?:[/?#]|$)/.exec(path)?.[1] ?? '')
  return KEY.test(name) ? name.toUpperCase() : null
}
