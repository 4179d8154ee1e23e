// The user, the repository, its branches.

import { listBranches } from '../../../forge/pulls/observe-pulls.ts'
import { localAuthor, sessionOf } from '../../../inside/local-author.ts'
import { notFound } from '../answer.ts'
import { defineRoute, ok, type RestCall, type Route } from './define-route.ts'
import { apiUrl, describeRepo, describeUser } from './describe-names.ts'

const describeBranch = ({ gh }: RestCall, name: string, sha: string) => ({
  name,
  commit: { sha, url: apiUrl(gh, `commits/${sha}`) },
  protected: name === gh.project.defaultBranch,
})

export const REPO_ROUTES: readonly Route[] = [
  defineRoute('GET /user', {}, async ({ io }) => {
    const login = localAuthor(io.env)
    return ok({ ...describeUser(login, sessionOf(io.env) !== null), name: login, email: null })
  }),
  defineRoute('GET ', {}, async ({ gh }) => ok(describeRepo(gh))),
  defineRoute('GET branches', { isList: true }, async (call) => {
    const branches = await listBranches(call.gh.forge.repository())
    return ok([...branches].map(([name, sha]) => describeBranch(call, name, sha)))
  }),
  defineRoute('GET branches/*name', {}, async (call) => {
    const sha = (await listBranches(call.gh.forge.repository())).get(call.params.name!)
    if (sha === undefined) throw notFound(`Branch not found: ${call.params.name}`)
    return ok(describeBranch(call, call.params.name!, sha))
  }),
]
