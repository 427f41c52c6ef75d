"""The rehearsal: a few bounded steps of the user's own command, and a verdict about what they showed.

``inside/`` runs in the processes of the command. The other modules run in ``vcompat rehearse`` and import no upstream
package.
"""
