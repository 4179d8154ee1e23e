// The local forge passes the suite of all forges.
import { createForgeWorld } from './local-forge-world.ts'
import { describeScm } from './scm-suite.ts'

describeScm('local', async () => createForgeWorld())
