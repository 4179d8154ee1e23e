// Reads Claude's screen and answers its dialogs. Pure.

import { betweenRules } from '../agent-files/screen/input-line.ts'
import type { ScreenRules } from '../agent-files/screen/read-by-rules.ts'
import { draftReader } from '../agent-files/screen/read-draft.ts'
import { screenReader } from '../agent-files/screen/read-screen-state.ts'

const RULES: ScreenRules = {
  // Between two lines across the screen; a dialog replaces it.
  input: betweenRules,
  markers: '❯',
  footer:
    /\besc to (?:cancel|exit|go back|clear|close|dismiss)\b|\benter to (?:select|confirm|submit|continue|set|use)\b/i,
  asks: [
    /^\s*❯?\s*1\.\s+Yes\b/m,
    /\bDo you want to (?:proceed|make this edit|create|allow)\b/i,
    /\bDo you trust the files in this folder\b/i,
    /\bWould you like to proceed\b/i,
    // Its very first start.
    /\bTo change this later, run \/theme\b/,
  ],
  views: [
    { name: 'its transcript', shows: /^\s*(?:dialog waiting · )?Showing detailed transcript\b/ },
    { name: "vim's VISUAL mode", shows: /^\s*-- VISUAL(?: LINE| BLOCK)? --/, lines: 9 },
  ],
}

export const readDraft = draftReader(betweenRules)

const PATTERNS = { works: /\besc to interrupt\b/i, failed: /^\s*(?:⎿\s*)?API Error\b/m }

export const { readScreenInput, detectActivity } = screenReader(RULES, PATTERNS)
