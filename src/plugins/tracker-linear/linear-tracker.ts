// Linear's issues in the slot's terms. An empty list means that there is none; anything else is an error.
import { AoError, errorText } from '../../contract/errors.ts'
import { branchForIssue } from '../../core/session/name-branch.ts'
import { type IssueFilter, IssueNotFoundError, type Tracker } from '../../slots/tracker.ts'
import { issuePrompt } from '../http-api/issue-prompt.ts'
import { changeLinearIssue, createIssue } from './change-issue.ts'
import type { LinearClient } from './linear-client.ts'
import {
  CLOSED_TYPES,
  ISSUE_FIELDS,
  type LinearIssue,
  type LinearReference,
  nameOf,
  parseReference,
  toIssue,
} from './linear-issue.ts'

export interface LinearScope {
  /** Key or id. */
  team: string | null
  workspace: string | null
}

const MAX_CACHED_URLS = 500

export function createLinearTracker(client: LinearClient, scope: LinearScope): Tracker {
  const urls = new Map<string, string>()
  const fetchIssue = async (issueId: string): Promise<LinearIssue> => {
    const reference = parseReference(issueId)
    const issue = reference === null ? undefined : await findIssue(client, reference)
    if (issue === undefined) throw new IssueNotFoundError(issueId)
    urls.set(issue.identifier, issue.url)
    if (urls.size > MAX_CACHED_URLS) urls.delete(urls.keys().next().value!)
    return issue
  }

  return {
    name: 'linear',
    async checkAccess() {
      try {
        const { viewer } = await client.query<{ viewer: { name: string } }>('query { viewer { id name } }', {})
        return { ok: true, detail: `the key is good; Linear knows it as ${viewer.name}` }
      } catch (error) {
        return { ok: false, detail: errorText(error), fix: 'Check LINEAR_API_KEY' }
      }
    },
    getIssue: async (issueId) => toIssue(await fetchIssue(issueId)),
    async isCompleted(issueId) {
      const { state } = await fetchIssue(issueId)
      return (CLOSED_TYPES as readonly string[]).includes(state.type)
    },
    /** Linear's own URL contains the title; without having read the issue a shorter one works too. */
    issueUrl(issueId) {
      const reference = parseReference(issueId)
      const name = reference === null ? issueId : nameOf(reference)
      const workspace = scope.workspace === null ? '' : `${scope.workspace}/`
      return urls.get(name) ?? `https://linear.app/${workspace}issue/${encodeURIComponent(name)}`
    },
    branchName(issueId) {
      const reference = parseReference(issueId)
      return branchForIssue(reference === null ? issueId : nameOf(reference))
    },
    generatePrompt: (issue) => issuePrompt(issue),
    blockersOf: async (issueId) => readBlockers(client, await fetchIssue(issueId)),
    async listIssues(filter) {
      return (await listIssues(client, filter, scope)).map(toIssue)
    },
    async createIssue(issue) {
      return toIssue(await createIssue(client, issue, await requireTeam(client, scope)))
    },
    async updateIssue(issueId, change) {
      await changeLinearIssue(client, await fetchIssue(issueId), change)
    },
  }
}

async function findIssue(client: LinearClient, reference: LinearReference): Promise<LinearIssue | undefined> {
  const filter =
    'id' in reference
      ? { id: { eq: reference.id } }
      : { team: { key: { eq: reference.team } }, number: { eq: reference.number } }
  // Long-finished issues are archived, and still issues.
  const query = `query FindIssue($filter: IssueFilter!) {
    issues(filter: $filter, first: 1, includeArchived: true) { nodes { ...IssueFields } }
  }${ISSUE_FIELDS}`
  const { issues } = await client.query<{ issues: { nodes: LinearIssue[] } }>(query, { filter })
  return issues.nodes[0]
}

/** Issues that block it, and its own sub-issues. */
async function readBlockers(client: LinearClient, { id }: LinearIssue): Promise<string[]> {
  const query = `query FindBlockers($id: String!, $blocking: String, $parts: String) {
    issue(id: $id) {
      inverseRelations(first: 50, after: $blocking) { pageInfo { hasNextPage endCursor } nodes { type issue { identifier } } }
      children(first: 50, after: $parts) { pageInfo { hasNextPage endCursor } nodes { identifier } }
    }
  }`
  const found = new Set<string>()
  let after: { blocking?: string | undefined; parts?: string | undefined } = {}
  for (let page = 1; page <= MAX_RELATION_PAGES; page += 1) {
    const { issue } = await client.query<{ issue: Relations }>(query, { id, ...after })
    const { inverseRelations, children } = issue
    for (const { type, issue: other } of inverseRelations.nodes) if (type === 'blocks') found.add(other.identifier)
    for (const { identifier } of children.nodes) found.add(identifier)
    const ends = [inverseRelations.pageInfo, children.pageInfo]
    if (!ends.some((one) => one?.hasNextPage)) return [...found]
    // Behind its own end a list is empty.
    const [blocking, parts] = ends.map((one) => one?.endCursor ?? undefined)
    after = { blocking: blocking ?? after.blocking, parts: parts ?? after.parts }
  }
  throw new Error(`An issue has more than ${MAX_RELATION_PAGES * 50} relations`)
}

const MAX_RELATION_PAGES = 20

interface Connection<Node> {
  pageInfo?: { hasNextPage: boolean; endCursor: string | null }
  nodes: Node[]
}

interface Relations {
  inverseRelations: Connection<{ type: string; issue: { identifier: string } }>
  children: Connection<{ identifier: string }>
}

function stateFilter(state: 'open' | 'closed' | 'all') {
  if (state === 'all') return undefined
  return { type: state === 'closed' ? { in: [...CLOSED_TYPES] } : { nin: [...CLOSED_TYPES] } }
}

async function listIssues(client: LinearClient, filter: IssueFilter, { team }: LinearScope): Promise<LinearIssue[]> {
  const limit = filter.limit ?? 30
  const wanted = {
    team: team === null ? undefined : teamFilter(team),
    state: stateFilter(filter.state ?? 'open'),
    assignee: filter.assignee === undefined ? undefined : { displayName: { eqIgnoreCase: filter.assignee } },
    and: (filter.labels ?? []).map((name) => ({ labels: { some: { name: { eq: name } } } })),
  }
  const query = `query ListIssues($filter: IssueFilter!, $first: Int!, $after: String) {
    issues(filter: $filter, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { ...IssueFields }
    }
  }${ISSUE_FIELDS}`
  const found: LinearIssue[] = []
  let after: string | null = null
  do {
    const first = Math.min(limit - found.length, 50)
    const { issues }: { issues: IssuePage } = await client.query(query, { filter: wanted, first, after })
    found.push(...issues.nodes)
    after = issues.pageInfo.hasNextPage ? issues.pageInfo.endCursor : null
  } while (after !== null && found.length < limit)
  return found
}

interface IssuePage {
  nodes: LinearIssue[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** The id of the team for new issues: the configured one, or the only one there is. */
async function requireTeam(client: LinearClient, { team }: LinearScope): Promise<string> {
  const query = 'query FindTeams($filter: TeamFilter!) { teams(filter: $filter, first: 2) { nodes { id } } }'
  const filter = team === null ? {} : teamFilter(team)
  const { teams } = await client.query<{ teams: { nodes: Array<{ id: string }> } }>(query, { filter })
  if (teams.nodes.length === 1) return teams.nodes[0]!.id
  const why = team === null ? 'Linear has several teams' : `Linear has no team ${team}`
  throw new AoError('CONFIG_INVALID', `${why}, and a new issue needs one`, {
    hint: 'Set teamId of the linear tracker in agent-orchestrator.yaml to the key of a team, such as ENG',
  })
}

function teamFilter(team: string): Record<string, unknown> {
  return /^[0-9a-f-]{36}$/i.test(team) ? { id: { eq: team } } : { key: { eq: team.toUpperCase() } }
}
