# SPDX-License-Identifier: GPL-2.0
# Compilers, versions and the libraries with the oldest release that will do.
# Everything here can be set on the command line: make CC=gcc-12 PREFIX=/usr

VERSION      = 0.1.0

PREFIX       ?= /usr/local
BINDIR       ?= $(PREFIX)/bin
MANDIR       ?= $(PREFIX)/share/man

GCC          ?= gcc
CLANG        ?= clang
CLANG_FORMAT ?= clang-format
PKG_CONFIG   ?= pkg-config

# What the tool links. One requirement a line, as pkg-config reads them.
PKGS         = libtracefs >= 1.6.0 \
               libzstd >= 1.5.0 \
               zlib >= 1.2.11
# What the unit tests link besides.
TEST_PKGS    = cmocka >= 1.1.5 \
               jansson >= 2.13 \
               libtraceevent >= 1.7.0

WARNINGS     = -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes \
               -Wshadow -Wvla -Wpointer-arith
OPTIMIZE     ?= -O2
FUZZ_SECONDS ?= 60
