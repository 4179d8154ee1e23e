// Tracker plugin `linear`: issues of a Linear workspace.
import * as z from 'zod/mini'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { httpKeys, httpUrl } from '../http-api/plugin-options.ts'
import { createLinearClient } from './linear-client.ts'
import { createLinearTracker } from './linear-tracker.ts'

const optionsSchema = z.strictObject({
  ...httpKeys,
  apiUrl: z.optional(httpUrl),
  /** Key (`ENG`) or id of the team that issues are listed from and created in. */
  teamId: z.optional(z.string().check(z.minLength(1))),
  /** The name of the workspace in its URLs. */
  workspaceSlug: z.optional(z.string().check(z.regex(/^[A-Za-z0-9-]+$/))),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'linear',
    description: 'Issues in Linear',
  },
  options: optionsSchema,
  create({ teamId, workspaceSlug, ...connection }, context) {
    return createLinearTracker(createLinearClient(connection, context), {
      team: teamId ?? null,
      workspace: workspaceSlug ?? null,
    })
  },
  detect: detectKey,
})

async function detectKey({ env }: PluginContext): Promise<{ ok: boolean; detail: string; fix?: string }> {
  if (env.LINEAR_API_KEY?.trim()) return { ok: true, detail: 'LINEAR_API_KEY is set' }
  return { ok: false, detail: 'LINEAR_API_KEY is not set', fix: 'Set LINEAR_API_KEY' }
}
