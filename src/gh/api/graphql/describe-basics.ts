// People, labels, commits and checks as GraphQL nodes.

import type { Check } from '../../../contract/pull.ts'
import type { LocalForge } from '../../../forge/types.ts'
import type { ListedCommit } from '../../../git/diff/commit-log.ts'
import type { Gh } from '../../open-gh.ts'
import { JOB_ENDS, jobId, jobTimes } from '../../run/job.ts'
import { describeUser, describeLabels as restLabels, webUrl } from '../rest/describe-names.ts'
import { connection, field } from './field.ts'

export function actor(login: string, isBot = false) {
  const { id, node_id: node, html_url: url } = describeUser(login)
  return { __typename: isBot ? 'Bot' : 'User', id: node, databaseId: id, login, name: login, url, avatarUrl: '' }
}

export function labelNodes(gh: Gh, names: readonly string[]) {
  return connection(
    () => restLabels(gh, names),
    ({ node_id: id, name, color, description, url }) => ({
      __typename: 'Label',
      id,
      name,
      color,
      description,
      url,
      isDefault: false,
    }),
    ['orderBy'],
  )
}

export function userNodes(logins: readonly string[]) {
  return connection(
    () => logins,
    (login) => actor(login),
  )
}

export function commitNode(gh: Gh, { sha, subject, body, name, email, at }: ListedCommit, checks: readonly Check[]) {
  const signature = { name, email, date: at, user: null }
  return {
    ...shaNode(gh, sha),
    message: body === '' ? subject : `${subject}\n\n${body}`,
    messageHeadline: subject,
    messageBody: body,
    committedDate: at,
    authoredDate: at,
    author: signature,
    committer: signature,
    statusCheckRollup: rollup(gh, sha, checks),
  }
}

/** One of which only the name is known. */
export function shaNode(gh: Gh, sha: string) {
  return {
    __typename: 'Commit',
    id: `C_${sha}`,
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    url: `${webUrl(gh)}/commit/${sha}`,
  }
}

export function refNode(gh: Gh, name: string, sha: string | null) {
  const target = sha === null ? null : shaNode(gh, sha)
  return { __typename: 'Ref', id: `REF_${name}`, name, prefix: 'refs/heads/', target }
}

function rollup(gh: Gh, sha: string, checks: readonly Check[]) {
  if (checks.length === 0) return null
  const isFailed = checks.some(({ status }) => status === 'failed')
  const isPassed = checks.every(({ status }) => status === 'passed' || status === 'skipped')
  return {
    __typename: 'StatusCheckRollup',
    id: `SCR_${sha}`,
    state: isFailed ? 'FAILURE' : isPassed ? 'SUCCESS' : 'PENDING',
    contexts: connection(
      () => checks,
      (check) => checkRun(gh.forge, gh, check),
    ),
  }
}

const STATES = {
  passed: 'COMPLETED',
  failed: 'COMPLETED',
  skipped: 'COMPLETED',
  running: 'IN_PROGRESS',
  pending: 'QUEUED',
} as const

function checkRun(forge: LocalForge, gh: Gh, check: Check) {
  const { startedAt, completedAt, why } = jobTimes(forge, check)
  const address = `${webUrl(gh)}/checks/${encodeURIComponent(check.name)}`
  return {
    __typename: 'CheckRun',
    id: `CR_${jobId(check)}`,
    databaseId: jobId(check),
    name: check.name,
    status: STATES[check.status],
    conclusion: JOB_ENDS[check.status] === '' ? null : JOB_ENDS[check.status].toUpperCase(),
    startedAt,
    completedAt,
    detailsUrl: address,
    url: address,
    permalink: address,
    title: why === '' ? null : why,
    summary: null,
    text: null,
    // All of them are required for merging.
    isRequired: field(['pullRequestNumber', 'pullRequestId'], () => true),
  }
}
