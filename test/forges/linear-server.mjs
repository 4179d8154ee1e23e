// Linear for tests, as a process of its own: the part of its GraphQL schema that is used here, by the names and types
// that Linear publishes, executed by graphql-js over issues in memory. A query with any other field is an error.
import { randomUUID } from 'node:crypto'
import { buildSchema, execute, parse, validate } from 'graphql'
import { createForgeServer, listen } from './serve.mjs'

const schema = buildSchema(`
  scalar DateTime
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type User { id: ID! displayName: String! email: String! }
  type Team { id: ID! key: String! name: String! }
  type WorkflowState { id: ID! name: String! type: String! position: Float! team: Team! }
  type IssueLabel { id: ID! name: String! team: Team }
  type IssueLabelConnection { nodes: [IssueLabel!]! pageInfo: PageInfo! }
  type Comment { id: ID! body: String! }
  type Issue {
    id: ID! identifier: String! number: Float! title: String! description: String url: String! branchName: String!
    priority: Float! createdAt: DateTime! state: WorkflowState! team: Team! assignee: User creator: User
    labels(first: Int): IssueLabelConnection!
    inverseRelations(first: Int, after: String): IssueRelationConnection!
    children(first: Int, after: String): IssueConnection!
  }
  type IssueRelation { id: ID! type: String! issue: Issue! relatedIssue: Issue! }
  type IssueRelationConnection { nodes: [IssueRelation!]! pageInfo: PageInfo! }
  type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }
  type TeamConnection { nodes: [Team!]! pageInfo: PageInfo! }
  type UserConnection { nodes: [User!]! pageInfo: PageInfo! }
  type WorkflowStateConnection { nodes: [WorkflowState!]! pageInfo: PageInfo! }
  input StringComparator { eq: String in: [String!] nin: [String!] eqIgnoreCase: String }
  input NumberComparator { eq: Float }
  input IDComparator { eq: ID }
  input IssueIDComparator { eq: ID }
  input TeamFilter { id: IDComparator key: StringComparator }
  input NullableTeamFilter { id: IDComparator key: StringComparator null: Boolean }
  input UserFilter { displayName: StringComparator email: StringComparator or: [UserFilter!] }
  input NullableUserFilter { displayName: StringComparator email: StringComparator }
  input WorkflowStateFilter { type: StringComparator team: TeamFilter }
  input IssueLabelFilter { name: StringComparator team: NullableTeamFilter or: [IssueLabelFilter!] }
  input IssueLabelCollectionFilter { some: IssueLabelFilter }
  input IssueFilter {
    id: IssueIDComparator number: NumberComparator team: TeamFilter state: WorkflowStateFilter
    assignee: NullableUserFilter labels: IssueLabelCollectionFilter and: [IssueFilter!]
  }
  input IssueCreateInput {
    teamId: String! title: String description: String labelIds: [String!] assigneeId: String stateId: String
  }
  input IssueUpdateInput {
    title: String description: String stateId: String assigneeId: String
    addedLabelIds: [String!] removedLabelIds: [String!]
  }
  input CommentCreateInput { issueId: String body: String }
  input IssueLabelCreateInput { name: String! teamId: String }
  type IssuePayload { success: Boolean! issue: Issue }
  type CommentPayload { success: Boolean! comment: Comment! }
  type IssueLabelPayload { success: Boolean! issueLabel: IssueLabel! }
  type Query {
    issue(id: String!): Issue!
    issues(filter: IssueFilter, first: Int, after: String, includeArchived: Boolean): IssueConnection!
    teams(filter: TeamFilter, first: Int): TeamConnection!
    users(filter: UserFilter, first: Int): UserConnection!
    workflowStates(filter: WorkflowStateFilter, first: Int): WorkflowStateConnection!
    issueLabels(filter: IssueLabelFilter, first: Int): IssueLabelConnection!
  }
  type Mutation {
    issueCreate(input: IssueCreateInput!): IssuePayload!
    issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
    commentCreate(input: CommentCreateInput!): CommentPayload!
    issueLabelCreate(input: IssueLabelCreateInput!): IssueLabelPayload!
  }
`)

const STATES = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled']
const world = {
  teams: [],
  states: [],
  labels: [],
  comments: [],
  issues: [],
  users: ['acme', 'maria'].map((name) => ({ id: randomUUID(), displayName: name, email: `${name}@example.invalid` })),
}

listen(createForgeServer({ answer, control }))

async function answer(request) {
  if (!/^(Bearer )?lin_/.test(request.headers.authorization ?? '')) {
    const error = { message: 'Authentication required', extensions: { type: 'authentication error' } }
    return { status: 401, body: { errors: [error] } }
  }
  const { query, variables } = JSON.parse(request.body.toString())
  const document = parse(query)
  const invalid = validate(schema, document)
  if (invalid.length > 0) return { status: 400, body: { errors: invalid.map(({ message }) => ({ message })) } }
  const result = await execute({ schema, document, rootValue: root, variableValues: variables })
  const headers = {
    'x-ratelimit-requests-limit': '1500',
    'x-ratelimit-requests-remaining': '1400',
    'x-ratelimit-requests-reset': String(Date.now() + 3_600_000),
  }
  return { status: 200, headers, body: JSON.parse(JSON.stringify(result)) }
}

async function control({ op, key, issue }) {
  if (op === 'team') return void addTeam(key)
  if (op === 'comments') return world.comments
  if (op === 'relation') return void relate(issue)
  const team = world.teams.find((one) => one.key === key)
  const made = addIssue(team, { ...issue, labelIds: (issue.labels ?? []).map((name) => label(name, team).id) })
  if (issue.state) made.state = stateOf(team, issue.state)
  if (issue.noCreator) made.creator = null
  return made.identifier
}

function relate({ type, from, to }) {
  const [issue, relatedIssue] = [from, to].map((name) => world.issues.find((one) => one.identifier === name))
  if (type === 'child') relatedIssue.childIssues = [...(relatedIssue.childIssues ?? []), issue]
  else relatedIssue.relations = [...(relatedIssue.relations ?? []), { id: randomUUID(), type, issue, relatedIssue }]
}

const root = {
  issue: ({ id }) => world.issues.find((one) => one.id === id),
  issues: ({ filter, first, after }) =>
    page(
      world.issues.filter((issue) => matches(issue, filter)),
      first,
      after,
    ),
  teams: ({ filter, first }) =>
    page(
      world.teams.filter((team) => matches(team, filter)),
      first,
    ),
  users: ({ filter, first }) =>
    page(
      world.users.filter((user) => matches(user, filter)),
      first,
    ),
  workflowStates: ({ filter, first }) =>
    page(
      world.states.filter((state) => matches(state, filter)),
      first,
    ),
  issueLabels: ({ filter, first }) =>
    page(
      world.labels.filter((one) => matches(one, filter)),
      first,
    ),
  issueCreate: ({ input }) => {
    const team = world.teams.find(({ id }) => id === input.teamId)
    return { success: true, issue: addIssue(team, input) }
  },
  issueUpdate: ({ id, input }) => {
    const issue = world.issues.find((one) => one.id === id)
    issue.title = input.title ?? issue.title
    issue.description = input.description ?? issue.description
    issue.state = world.states.find((state) => state.id === input.stateId) ?? issue.state
    issue.assignee = world.users.find((user) => user.id === input.assigneeId) ?? issue.assignee
    const kept = issue.labelIds.filter((one) => !input.removedLabelIds?.includes(one))
    issue.labelIds = [...new Set([...kept, ...(input.addedLabelIds ?? [])])]
    return { success: true, issue }
  },
  commentCreate: ({ input }) => {
    const comment = { id: randomUUID(), ...input }
    world.comments.push(comment)
    return { success: true, comment }
  },
  issueLabelCreate: ({ input }) => {
    const team = world.teams.find(({ id }) => id === input.teamId)
    return { success: true, issueLabel: label(input.name, team) }
  },
}

function addTeam(key) {
  const team = { id: randomUUID(), key, name: key }
  world.teams.push(team)
  world.states.push(...STATES.map((type, position) => ({ id: randomUUID(), name: type, type, position, team })))
}

function addIssue(team, { title, description, labelIds = [], assigneeId }) {
  const number = world.issues.filter((one) => one.team === team).length + 1
  const identifier = `${team.key}-${number}`
  const slug = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const issue = {
    id: randomUUID(),
    identifier,
    number,
    title,
    description: description ?? null,
    url: `https://linear.app/acme/issue/${identifier}/${slug}`,
    branchName: `acme/${identifier.toLowerCase()}-${slug}`,
    priority: 0,
    createdAt: new Date().toISOString(),
    state: stateOf(team, 'backlog'),
    team,
    creator: world.users[0],
    assignee: world.users.find(({ id }) => id === assigneeId) ?? null,
    labelIds,
    inverseRelations: ({ first, after }) => page(issue.relations ?? [], first, after),
    children: ({ first, after }) => page(issue.childIssues ?? [], first, after),
    labels: () => ({ nodes: world.labels.filter(({ id }) => issue.labelIds.includes(id)), pageInfo: lastPage }),
  }
  world.issues.push(issue)
  return issue
}

function stateOf(team, type) {
  return world.states.find((state) => state.team === team && state.type === type)
}

function label(name, team) {
  const known = world.labels.find((one) => one.name === name && one.team === team)
  if (known) return known
  const made = { id: randomUUID(), name, team }
  world.labels.push(made)
  return made
}

const lastPage = { hasNextPage: false, endCursor: null }

function page(all, first = 50, after = null) {
  const from = after === null ? 0 : Number(after)
  const to = Math.min(from + first, all.length)
  return { nodes: all.slice(from, to), pageInfo: { hasNextPage: to < all.length, endCursor: String(to) } }
}

const COMPARE = {
  eq: (value, wanted) => value === wanted,
  in: (value, wanted) => wanted.includes(value),
  nin: (value, wanted) => !wanted.includes(value),
  eqIgnoreCase: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
}

/** Every key of a filter narrows: a comparator, a filter of what it refers to, or a list of alternatives. */
function matches(entity, filter) {
  return Object.entries(filter ?? {}).every(([key, wanted]) => {
    if (key === 'and') return wanted.every((one) => matches(entity, one))
    if (key === 'or') return wanted.some((one) => matches(entity, one))
    if (key === 'null') return (entity == null) === wanted
    if (key === 'some') return entity.nodes.some((one) => matches(one, wanted))
    if (key in COMPARE) return entity != null && COMPARE[key](entity, wanted)
    const value = entity?.[key]
    return matches(typeof value === 'function' ? value() : value, wanted)
  })
}
