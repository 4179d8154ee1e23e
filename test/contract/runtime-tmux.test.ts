import { join } from 'node:path'
import { plugin } from '../../src/plugins/runtime-tmux/index.ts'
import { describeRuntime } from './runtime-suite.ts'

const file = join(import.meta.dirname, '../../src/plugins/runtime-tmux/index.ts')

describeRuntime({ plugin, file, missingCommand: 'ends', detachKeys: '\u0002d' })
