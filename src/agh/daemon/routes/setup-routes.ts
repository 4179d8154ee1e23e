// Routes about agents and workspaces, and about the daemon as a whole.
import * as z from 'zod/mini'
import { AgentAnswer, ObserveAnswer, oneWorkspace, WorkspaceAnswer } from '../../../contract/agh/answers.ts'
import { workspaceSchema } from '../../../contract/agh/api.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { describeAgent, listAgents } from '../../setup/agents.ts'
import { addWorkspace, findWorkspace, listWorkspaces, removeWorkspace } from '../../setup/workspaces.ts'
import { route } from './agh-route.ts'
import { observeHealth } from './observe-health.ts'

export const SETUP_ROUTES = [
  route({
    method: 'GET',
    path: '/api/observe/health',
    inside: EVERYONE,
    summary: 'The health of the daemon and of its sessions',
    answer: ObserveAnswer,
    handle: ({ context }) => observeHealth(context),
  }),
  route({
    method: 'GET',
    path: '/api/agents',
    inside: EVERYONE,
    summary: 'The agents that sessions can use',
    answer: z.object({ agents: z.array(AgentAnswer) }),
    handle: async ({ context }) => ({ agents: await listAgents(context) }),
  }),
  route({
    method: 'GET',
    path: '/api/agents/:name',
    inside: EVERYONE,
    summary: 'One agent',
    answer: z.object({ agent: AgentAnswer }),
    handle: async ({ context, params }) => ({ agent: await describeAgent(context, params.name) }),
  }),
  route({
    method: 'GET',
    path: '/api/workspaces',
    inside: EVERYONE,
    summary: 'The registered workspaces',
    answer: z.object({ workspaces: z.array(WorkspaceAnswer) }),
    handle: async ({ context }) => ({ workspaces: listWorkspaces(context.paths) }),
  }),
  route({
    method: 'POST',
    path: '/api/workspaces',
    summary: 'Register a workspace',
    body: workspaceSchema,
    status: 201,
    answer: oneWorkspace,
    handle: async ({ context, body }) => ({ workspace: addWorkspace(context.paths, body) }),
  }),
  route({
    method: 'GET',
    path: '/api/workspaces/:id',
    inside: EVERYONE,
    summary: 'One workspace, by name or id',
    answer: oneWorkspace,
    handle: async ({ context, params }) => ({ workspace: findWorkspace(context.paths, params.id) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/workspaces/:id',
    summary: 'Forget a workspace; its files stay',
    answer: oneWorkspace,
    handle: async ({ context, params }) => ({ workspace: removeWorkspace(context.paths, params.id) }),
  }),
] as const
