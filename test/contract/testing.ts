// `ao-fleet/testing`: what every plugin of a slot must do, for the tests of plugins that others write. A plugin's test calls the suite
// of its slot under vitest; the plugins of this repository are tested with the same code.

export { createTempHome, type TempHome } from '../support/temp-home.ts'
export { type BasicsSubject, describeAgentBasics } from './agent-basics.ts'
export { type AgentSubject, describeAgent, type Moment } from './agent-suite.ts'
export { type AgentWorld, createAgentWorld } from './agent-world.ts'
export { describeHttpNotifier, type HttpNotifierCase, type Received } from './notifier-suite.ts'
export { describeRuntime } from './runtime-suite.ts'
export type { RuntimeUnderTest } from './runtime-world.ts'
export { describeScm as describeForge, type ScmWorld as ForgeWorld, type SeedReview } from './scm-suite.ts'
export { describeTracker, type SeedIssue, type TrackerWorld } from './tracker-suite.ts'
