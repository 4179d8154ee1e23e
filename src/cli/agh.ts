#!/usr/bin/env node
// The entry of `agh`; the rest is agh-main.ts.
import { start } from './entry.ts'

start('agh', () => import('./agh-main.ts'))
