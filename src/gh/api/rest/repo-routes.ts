// The user, the repository, its branches and labels.
import * as z from 'zod/mini'
import { describeLabel as checkLabel, type LocalLabel } from '../../../forge/label-store.ts'
import { listBranches } from '../../../forge/pulls/observe-pulls.ts'
import { localAuthor, sessionOf } from '../../../inside/local-author.ts'
import { createLabel, deleteLabel, editLabel, listLabels, requireLabel } from '../../change-label.ts'
import { apiUrl, describeLabel, describeRepo, describeUser } from '../../describe/names.ts'
import { tabulate } from '../../describe/node.ts'
import { LABEL_REST, REPO_REST, user } from '../../describe/rest-tables.ts'
import { notFound } from '../answer.ts'
import { created, defineRoute, noContent, ok, type RestCall, type Route } from './define-route.ts'

const describeBranch = ({ gh }: RestCall, name: string, sha: string) => ({
  name,
  commit: { sha, url: apiUrl(gh, `commits/${sha}`) },
  protected: name === gh.project.defaultBranch,
})
const label = ({ gh }: RestCall, one: LocalLabel) => tabulate(describeLabel(gh, one), LABEL_REST, gh)
const details = { color: z.optional(z.string()), description: z.optional(z.string()) }

export const REPO_ROUTES: readonly Route[] = [
  defineRoute('GET /user', {}, async ({ io }) => {
    const login = localAuthor(io.env)
    return ok({ ...user(describeUser(login, sessionOf(io.env) !== null)), name: login, email: null })
  }),
  defineRoute('GET ', {}, async ({ gh }) => ok(await tabulate(describeRepo(gh), REPO_REST, gh))),
  defineRoute('GET branches', { isList: true }, async (call) => {
    const branches = await listBranches(call.gh.forge.repository())
    return ok([...branches].map(([name, sha]) => describeBranch(call, name, sha)))
  }),
  defineRoute('GET branches/*name', {}, async (call) => {
    const sha = (await listBranches(call.gh.forge.repository())).get(call.params.name!)
    if (sha === undefined) throw notFound(`Branch not found: ${call.params.name}`)
    return ok(describeBranch(call, call.params.name!, sha))
  }),
  defineRoute('GET labels', { isList: true }, async (call) =>
    ok(await Promise.all((await listLabels(call.gh)).map((one) => label(call, one)))),
  ),
  defineRoute('POST labels', { body: z.strictObject({ name: z.string(), ...details }) }, async (call) => {
    call.gh.claim()
    const wanted = checkLabel(call.body)
    await createLabel(call.gh, wanted, { force: false })
    return created(await label(call, wanted))
  }),
  defineRoute('GET labels/*name', {}, async (call) =>
    ok(await label(call, await requireLabel(call.gh, call.params.name!))),
  ),
  defineRoute(
    'PATCH labels/*name',
    { body: z.strictObject({ new_name: z.optional(z.string()), ...details }) },
    async (call) => {
      const { new_name: name, color, description } = call.body
      return ok(await label(call, await editLabel(call.gh, call.params.name!, { name, color, description })))
    },
  ),
  defineRoute('DELETE labels/*name', {}, async ({ gh, params }) => {
    await deleteLabel(gh, params.name!)
    return noContent
  }),
]
