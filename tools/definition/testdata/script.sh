#!/bin/sh
echo  ok
