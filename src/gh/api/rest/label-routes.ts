// The labels of the repository.
import * as z from 'zod/mini'
import { describeLabel as checkLabel } from '../../../forge/label-store.ts'
import { createLabel, deleteLabel, editLabel, listLabels, requireLabel } from '../../change-label.ts'
import { created, defineRoute, noContent, ok, type Route } from './define-route.ts'
import { describeLabel } from './describe-names.ts'

const details = { color: z.optional(z.string()), description: z.optional(z.string()) }

export const LABEL_ROUTES: readonly Route[] = [
  defineRoute('GET labels', { isList: true }, async ({ gh }) =>
    ok((await listLabels(gh)).map((label) => describeLabel(gh, label))),
  ),
  defineRoute('POST labels', { body: z.strictObject({ name: z.string(), ...details }) }, async ({ gh, body }) => {
    gh.claim()
    const label = checkLabel(body)
    await createLabel(gh, label, { force: false })
    return created(describeLabel(gh, label))
  }),
  defineRoute('GET labels/*name', {}, async ({ gh, params }) =>
    ok(describeLabel(gh, await requireLabel(gh, params.name!))),
  ),
  defineRoute(
    'PATCH labels/*name',
    { body: z.strictObject({ new_name: z.optional(z.string()), ...details }) },
    async ({ gh, params, body }) => {
      const { new_name: name, color, description } = body
      return ok(describeLabel(gh, await editLabel(gh, params.name!, { name, color, description })))
    },
  ),
  defineRoute('DELETE labels/*name', {}, async ({ gh, params }) => {
    await deleteLabel(gh, params.name!)
    return noContent
  }),
]
