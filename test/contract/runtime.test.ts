import { plugin as tmux } from '../../src/plugins/runtime-tmux/index.ts'
import { describeRuntime } from './runtime-suite.ts'

describeRuntime({ plugin: tmux, missingCommand: 'ends' })
