// REST of GitHub where the emulator differs or has nothing: statuses, job logs, pull requests among issues, refusals of a
// merge, and a real git repository behind a name.
import { conflicts, isInside, mergeInBare, tipOf } from './bare-repository.mjs'

export function createGithubRest({ call, extra }) {
  return async (method, path, options = {}) => {
    const own = await ownRoute({ call, extra, method, path, options })
    if (own) return own
    const answer = await call(method, path, options)
    // The emulator finds checks only of commits it made itself.
    if (/\/check-runs(\/\d+)?$/.test(path) && answer.body?.head_sha) extra.checkRuns.set(answer.body.id, answer.body)
    // GitHub answers with the list itself.
    if (answer.body?.check_annotations) return { ...answer, body: answer.body.check_annotations }
    return { ...answer, body: overlay(extra, answer.body) }
  }
}

/** The emulator takes `comments` for a number here, and does not tell the page of a pull request from an issue's. */
async function listComments({ call, extra, path, options, owner, repo }) {
  const { authorization } = options
  const since = new URL(path, 'http://github').searchParams.get('since') ?? ''
  const list = async (kind) =>
    (await call('GET', `/repos/${owner}/${repo}/${kind}?state=all&per_page=100`, { authorization })).body
  const pulls = new Set((await list('pulls')).map(({ number }) => number))
  const numbers = new Set([...(await list('issues')).map(({ number }) => number), ...pulls])
  const pages = [...numbers].map(async (number) => {
    const { body } = await call('GET', `/repos/${owner}/${repo}/issues/${number}/comments`, { authorization })
    const page = (url) => (pulls.has(number) ? url.replace('/issues/', '/pull/') : url)
    return body.map(({ html_url, updated_at, ...comment }) => {
      return { ...comment, html_url: page(html_url), updated_at: extra.edited.get(comment.id) ?? updated_at }
    })
  })
  const found = (await Promise.all(pages)).flat().filter(({ updated_at }) => updated_at >= since)
  return { status: 200, body: found.sort((a, b) => a.id - b.id) }
}

async function ownRoute({ call, extra, method, path, options }) {
  const [, owner, repo, rest] = /^\/repos\/([^/]+)\/([^/]+)\/(.+)$/.exec(path.split('?')[0]) ?? []
  if (rest === undefined) return null
  let match = /^statuses\/([0-9a-f]+)$/.exec(rest)
  if (match && method === 'POST') {
    const list = extra.statuses.get(match[1]) ?? []
    const status = { target_url: null, description: null, ...options.body }
    extra.statuses.set(match[1], [...list.filter(({ context }) => context !== status.context), status])
    return { status: 201, body: status }
  }
  match = /^actions\/jobs\/(\d+)\/logs$/.exec(rest)
  if (match) {
    const log = extra.logs.get(match[1])
    return log === undefined ? { status: 404, body: { message: 'Not Found' } } : { status: 200, body: log }
  }
  match = /^actions\/runs\/(\d+)\/rerun-failed-jobs$/.exec(rest)
  if (match && method === 'POST') {
    if (extra.logs.has(`run ${match[1]}`)) return { status: 403, body: { message: 'This workflow is already running' } }
    extra.logs.set(`run ${match[1]}`, 'again')
    for (const job of ['77', '78']) extra.logs.set(job, 'queued again')
    return { status: 201, body: {} }
  }
  match = /^branches\/(.+)$/.exec(rest)
  if (match && method === 'GET' && extra.bare.has(`${owner}/${repo}`))
    return branch(extra, `${owner}/${repo}`, match[1])
  if (/^rules\/branches\//.test(rest)) return { status: 200, body: [] }
  match = /^issues\/(\d+)\/(dependencies\/blocked_by|sub_issues)$/.exec(rest)
  if (match) return relations({ call, extra, method, options, owner, repo, number: match[1], relation: match[2] })
  if (rest === 'issues/comments') return listComments({ call, extra, path, options, owner, repo })
  match = /^issues\/comments\/(\d+)$/.exec(rest)
  // GitHub counts in seconds; the emulator may do both in one.
  if (match && method === 'PATCH') extra.edited.set(Number(match[1]), new Date(Date.now() + 1_000).toISOString())
  match = /^issues\/(\d+)$/.exec(rest)
  if (match && method === 'GET') return issueOrPull({ call, options, owner, repo, number: match[1] })
  match = /^pulls\/(\d+)\/reviews$/.exec(rest)
  if (match && method === 'POST') return addReview({ call, extra, path, options, owner, repo, number: match[1] })
  match = /^pulls\/(\d+)$/.exec(rest)
  if (match && method === 'PATCH' && options.body.base !== undefined)
    noteRetarget(extra, `${owner}/${repo}#${match[1]}`)
  match = /^pulls\/(\d+)\/merge$/.exec(rest)
  if (match && method === 'PUT') return merge({ call, extra, options, owner, repo, number: Number(match[1]) })
  return null
}

/** The emulator has none. Others are added by their number, or as an issue of another repository. */
async function relations({ call, extra, method, options, owner, repo, number, relation }) {
  const key = `${owner}/${repo}#${number} ${relation}`
  const list = extra.relations.get(key) ?? []
  if (method === 'GET') return { status: 200, body: list }
  const { body } = options.body.html_url
    ? options
    : await call('GET', `/repos/${owner}/${repo}/issues/${options.body.number}`, {
        authorization: options.authorization,
      })
  extra.relations.set(key, [...list, body])
  return { status: 201, body }
}

/** Nobody approves their own. The emulator knows positions in a diff, GitHub lines too. */
async function addReview({ call, extra, path, options, owner, repo, number }) {
  const pull = overlay(extra, (await call('GET', `/repos/${owner}/${repo}/pulls/${number}`)).body)
  const { event, commit_id: commit = pull.head.sha, comments = [] } = options.body
  const { authorization } = options
  const me = (await call('GET', '/user', { authorization })).body
  if (event !== 'COMMENT' && me.login === pull.user.login) {
    const what = event === 'APPROVE' ? 'approve' : 'request changes on'
    return { status: 422, body: { message: `Review Can not ${what} your own pull request` } }
  }
  const placed = comments.map(({ line, ...comment }) => ({ position: line, ...comment }))
  return call('POST', path, { authorization, body: { ...options.body, commit_id: commit, comments: placed } })
}

function noteRetarget(extra, key) {
  const asked = extra.pulls.get(key) ?? {}
  const event = { __typename: 'BaseRefChangedEvent', createdAt: new Date().toISOString() }
  extra.pulls.set(key, { ...asked, retargeted: [event] })
}

function branch(extra, repo, name) {
  const sha = tipOf(extra.bare.get(repo), decodeURIComponent(name))
  if (sha === undefined) return { status: 404, body: { message: 'Branch not found' } }
  return { status: 200, body: { name, commit: { sha }, protected: extra.protected.has(repo) } }
}

/** GitHub answers for pull requests here too and marks them. */
async function issueOrPull({ call, options, owner, repo, number }) {
  const pull = await call('GET', `/repos/${owner}/${repo}/pulls/${number}`, options)
  if (pull.status !== 200) return null
  return { status: 200, body: { ...pull.body, pull_request: { url: pull.body.url } } }
}

async function merge({ call, extra, options, owner, repo, number }) {
  const path = `/repos/${owner}/${repo}/pulls/${number}`
  const pull = overlay(extra, (await call('GET', path, { authorization: options.authorization })).body)
  const { sha, merge_method: method } = options.body
  const key = `${owner}/${repo}#${number}`
  const asked = extra.pulls.get(key) ?? {}
  const bare = extra.bare.get(`${owner}/${repo}`)
  const conflicting = asked.mergeable === 'CONFLICTING' || (bare && conflicts(bare, pull.head.sha, pull.base.sha))
  if (conflicting) return { status: 405, body: { message: 'Pull Request is not mergeable' } }
  if (extra.queues.has(`${owner}/${repo}`))
    return { status: 405, body: { message: 'Changes must be made through the merge queue' } }
  if (asked.refuseMerge) return { status: 405, body: { message: asked.refuseMerge } }
  if (sha !== undefined && sha !== pull.head.sha) {
    return { status: 409, body: { message: 'Head branch was modified. Review and try the merge again.' } }
  }
  const done = await call('PUT', `${path}/merge`, { ...options, body: { merge_method: method } })
  if (done.status !== 200 || bare === undefined) return done
  const commit = mergeInBare(bare, { head: pull.head.sha, base: pull.base.ref, method, title: pull.title, number })
  extra.pulls.set(key, { ...asked, mergeCommit: commit, mergedSha: pull.head.sha })
  return { ...done, body: { ...done.body, sha: commit } }
}

/** Heads and tips come from the real repository where there is one. */
function overlay(extra, body) {
  if (Array.isArray(body)) return body.map((one) => overlay(extra, one))
  const isPull = typeof body === 'object' && body !== null && body.head?.repo?.full_name !== undefined
  if (!isPull) return body
  const asked = extra.pulls.get(`${body.base.repo.full_name}#${body.number}`) ?? {}
  const bare = extra.bare.get(body.head.repo.full_name)
  const sha = asked.mergedSha ?? asked.headSha ?? (bare && tipOf(bare, body.head.ref)) ?? body.head.sha
  const base = (bare && tipOf(bare, body.base.ref)) ?? body.base.sha
  const isPushed = bare && body.state === 'open' && asked.headSha === undefined && isInside(bare, sha, base)
  return {
    ...body,
    ...(isPushed ? { state: 'closed', merged: true, merged_at: new Date().toISOString() } : {}),
    head: { ...body.head, sha },
    base: { ...body.base, sha: base },
    merge_commit_sha: asked.mergeCommit ?? body.merge_commit_sha,
  }
}
